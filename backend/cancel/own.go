package cancel

import "slices"

// The figures by which Echo's own voice is known.
const (
	fading   = 1.2 // decibels that a room's sound loses in 10 ms at the least
	recent   = 15  // slots that a verdict is about: 150 ms
	evident  = 2.5 // decibels, in the mean over bands, by which somebody else stands out
	standing = 20  // decibels that one band can count for
	over     = 4   // decibels over the noise floor that are still noise
	deaf     = 60  // slots of Echo's voice in which it must be found in the microphone: else its user wears headphones
	patience = 200 // slots of it after which a doubtful place is better than none
	plain    = 0.8 // the likeness from which nobody speaks beside it
	surely   = 0.9 // the likeness from which it is Echo's voice, whatever stands out
	taken    = 25  // decibels that the filter is trusted to take out: what it leaves is not all alike
)

// own tells Echo's own voice in the microphone from its user's, by the levels of their bands: what the microphone hears of Echo
// follows what was played, a delay later and as loud as the room makes it, and what somebody else says stands out from it, in what
// the filter leaves. So it knows Echo's voice within half a second, long before the filter has learnt to take it out.
type own struct {
	delay   *delay
	leaving *analyser
	left    levels
	slots   int

	noise  levels // of what is left
	now    levels // what was played, a delay ago
	echo   levels // the same, as it fades
	gain   levels // from that to what is left; four fifths of that lie below
	room   levels // and to what is heard
	known  bool   // gain and room
	loud   int    // slots of Echo's voice while they are not
	excess [recent]float64
}

func newOwn() *own {
	o := &own{delay: newDelay(), leaving: newAnalyser()}
	for b := range bands {
		o.noise[b], o.echo[b] = quietest, still
	}
	return o
}

// next takes 20 ms of what is heard, what is being played and what the filter leaves, and tells whether it is Echo alone.
func (o *own) next(mic, played, left []int16) bool {
	alone := true
	for at := 0; at < frame; at += slot {
		o.delay.next(mic[at:at+slot], played[at:at+slot])
		o.left = o.leaving.next(left[at : at+slot])
		settle(&o.noise, o.left)
		o.slots++
		alone = o.judge() && alone
	}
	return alone
}

// unlearn says that the filter begins to learn anew.
func (o *own) unlearn() {
	for b := range bands {
		o.gain[b] = o.room[b]
	}
}

// judge tells whether the newest 10 ms hold Echo's voice and nobody else's.
func (o *own) judge() bool {
	o.now = o.delay.arriving(span - 1)
	o.fade(o.now)
	speaking := 0
	for b := range bands {
		if o.echo[b] > audible {
			speaking++
		}
	}
	if speaking < bands/3 {
		o.excess[o.slots%recent] = 0
		return false
	}
	if !o.known {
		o.loud++
		if o.known = o.found() && o.learn(); !o.known {
			return o.loud < deaf
		}
	}
	alone := o.standsOut() < evident
	o.adapt(alone)
	return alone
}

// found tells whether Echo is in what is heard: beyond doubt, or after two seconds with all that sounds beside it.
func (o *own) found() bool {
	return o.delay.lag >= 0 && (o.loud%every == 0 && o.delay.sounding() > plain || o.loud > patience)
}

func (o *own) fade(arriving levels) {
	for b := range bands {
		o.echo[b] = max(arriving[b], o.echo[b]-fading)
	}
}

// standsOut is by how much what is left is louder than Echo and the noise, lately.
func (o *own) standsOut() float64 {
	sum := 0.0
	for b, v := range o.left {
		sum += min(max(v-max(o.echo[b]+o.gain[b], o.noise[b]+over), 0), standing)
	}
	o.excess[o.slots%recent] = sum / bands
	mean := 0.0
	for _, e := range o.excess {
		mean += e / recent
	}
	return mean
}

// learn finds how loud Echo arrives by the last second, where that is enough.
func (o *own) learn() bool {
	var differences [bands][]float64
	before := o.echo
	for i, heard := range o.delay.heard {
		arriving := o.delay.arriving(i)
		o.fade(arriving)
		for b := range bands {
			if o.echo[b] > audible && o.echo[b] == arriving[b] {
				differences[b] = append(differences[b], heard[b]-o.echo[b])
			}
		}
	}
	o.echo = before
	enough := 0
	for b, d := range differences {
		if len(d) >= active {
			enough++
			slices.Sort(d)
			o.room[b] = d[len(d)/2] + 1
		}
	}
	o.gain = o.room
	return enough >= bands/2
}

// adapt follows what the filter leaves of Echo: quickly while Echo is alone, next to not while somebody else speaks.
func (o *own) adapt(alone bool) {
	for b, v := range o.left {
		echo := o.echo[b] + o.gain[b]
		switch {
		case o.echo[b] <= audible || max(v, echo) < o.noise[b]+over:
		case v < echo && o.echo[b] > o.now[b]+6: // a pause
		case v < echo:
			o.gain[b] = max(o.gain[b]-0.1, o.room[b]-taken)
		case alone:
			o.gain[b] += 0.4
		case o.delay.likeness > surely:
			o.gain[b] += 0.1
		default:
			o.gain[b] += 0.02
		}
	}
}
