package main

import "slices"

const (
	voiceOn  = 0.5  // a frame with this probability begins speech
	voiceOff = 0.35 // one below it is not speech any more

	// In frames of 32 ms.
	minSpeech = 6  // 192 ms: coughs and clicks are shorter
	joinGap   = 12 // 384 ms: a pause inside of a phrase
	margin    = 5  // 160 ms kept of the real sound: voice activity begins late on soft consonants

	// In samples.
	maxPassage = 20 * inputRate
	maxPause   = inputRate * 6 / 10 // within a passage; longer ones are cut down to it
)

// span is a stretch of a recording, in samples.
type span struct{ from, to int }

// spans finds the speech in a recording by the probabilities of its frames.
func spans(probabilities []float32, samples int) []span {
	var found []span
	voiced, start := false, 0
	end := func(at int) {
		if at-start >= minSpeech {
			found = append(found, span{start, at})
		}
	}
	for i, p := range probabilities {
		switch {
		case !voiced && p >= voiceOn:
			voiced, start = true, i
			// A soft beginning belongs to it.
			for start > 0 && probabilities[start-1] >= voiceOff && (len(found) == 0 || start > found[len(found)-1].to) {
				start--
			}
		case voiced && p < voiceOff && !slices.ContainsFunc(probabilities[i:min(i+joinGap, len(probabilities))], func(p float32) bool { return p >= voiceOn }):
			voiced = false
			end(i)
		}
	}
	if voiced {
		end(len(probabilities))
	}
	return widen(found, samples)
}

// widen turns frames into samples with a margin on each side, without overlaps.
func widen(found []span, samples int) []span {
	for i := range found {
		found[i] = span{max(0, (found[i].from-margin)*sileroFrame), min(samples, (found[i].to+margin)*sileroFrame)}
		if i > 0 && found[i].from < found[i-1].to {
			middle := (found[i].from + found[i-1].to) / 2
			found[i-1].to, found[i].from = middle, middle
		}
	}
	return found
}

// passage is a piece of a recording for the recogniser.
type passage struct {
	pcm []int16
	// sure is how likely its frames are speech: their mean probability.
	sure float32
}

// passages cuts a recording into speech with its pauses. A recording without speech has none.
func passages(pcm []int16, probabilities []float32) []passage {
	var pieces []passage
	var piece []int16
	var sum, count float32
	last := 0
	finish := func() {
		if len(piece) > 0 {
			pieces = append(pieces, passage{pcm: piece, sure: sum / count})
			piece, sum, count = nil, 0, 0
		}
	}
	for _, s := range cut(spans(probabilities, len(pcm)), probabilities) {
		pause := s.from - last
		if len(piece)+s.to-s.from > maxPassage {
			finish()
		}
		for _, p := range probabilities[s.from/sileroFrame : min((s.to+sileroFrame-1)/sileroFrame, len(probabilities))] {
			if p >= voiceOff {
				sum, count = sum+p, count+1
			}
		}
		switch {
		case len(piece) == 0:
		case pause <= maxPause:
			piece = append(piece, pcm[last:s.from]...)
		default:
			piece = append(piece, pcm[last:last+maxPause/2]...)
			piece = append(piece, pcm[s.from-maxPause/2:s.from]...)
		}
		piece = append(piece, pcm[s.from:s.to]...)
		last = s.to
	}
	finish()
	return pieces
}

// cut parts speech that is too long for one passage where it is least like speech.
func cut(found []span, probabilities []float32) []span {
	var parts []span
	for _, s := range found {
		for s.to-s.from > maxPassage {
			low, high := (s.from+maxPassage/2)/sileroFrame, min((s.from+maxPassage)/sileroFrame, len(probabilities))
			at := low
			for i := low; i < high; i++ {
				if probabilities[i] < probabilities[at] {
					at = i
				}
			}
			parts = append(parts, span{s.from, at * sileroFrame})
			s.from = at * sileroFrame
		}
		parts = append(parts, s)
	}
	return parts
}
