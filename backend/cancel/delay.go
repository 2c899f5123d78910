package cancel

import "math"

const (
	lags      = 80       // slots: the longest delay, 0.8 s, more than Bluetooth takes
	span      = 100      // slots that are compared: 1 s
	every     = 10       // slots between two estimates
	active    = span / 4 // of them, that Echo must have been speaking in
	alike     = 0.6      // the least likeness of an estimate
	agreement = 2        // how many lags two estimates in a row may lie apart
	depth     = 35       // decibels under its loudest that a band of Echo's voice may be heard
	smear     = 4        // slots over which a sound arrives: a window, and what the filter holds back
)

// delay estimates how long Echo's voice takes from the loudspeaker's queue to the microphone: where the levels of the two are most alike.
type delay struct {
	hearing, playing *analyser
	heard            [span]levels        // the newest last
	played           [lags + span]levels // the newest last
	noise            levels              // of what is heard
	slots            int
	lag              int     // in slots; -1 is unknown
	last             int     // the last estimate; -1 is none
	likeness         float64 // at that
}

func newDelay() *delay {
	d := &delay{hearing: newAnalyser(), playing: newAnalyser(), lag: -1, last: -1}
	for b := range bands {
		d.noise[b] = quietest
		for i := range d.played {
			d.played[i][b] = still
		}
		for i := range d.heard {
			d.heard[i][b] = still
		}
	}
	return d
}

// next takes the next 10 ms of both.
func (d *delay) next(mic, played []int16) {
	push(d.heard[:], d.hearing.next(mic))
	push(d.played[:], d.playing.next(played))
	settle(&d.noise, d.heard[span-1])
	d.slots++
	if d.slots%every != 0 {
		return
	}
	lag, likeness := d.best()
	d.likeness = likeness
	if likeness < alike {
		return
	}
	if d.last >= 0 && lag-d.last <= agreement && d.last-lag <= agreement {
		d.lag = lag
	}
	d.last = lag
}

// arriving is what was played a delay before the place in heard, over the time in which it arrives.
func (d *delay) arriving(place int) (l levels) {
	newest := lags + place - max(d.lag, 0)
	l = d.played[newest]
	for at := max(newest-smear+1, 0); at < newest; at++ {
		for b, v := range d.played[at] {
			l[b] = max(l[b], v)
		}
	}
	return l
}

// best is the lag at which the levels are most alike. What lies under the noise, or far under Echo's loudest, is no part of it.
func (d *delay) best() (lag int, likeness float64) {
	var least levels
	speaking := 0
	for _, l := range d.played[lags:] {
		sum := 0.0
		for b, v := range l {
			least[b] = max(least[b], v-depth)
			sum += v
		}
		if sum > bands*audible {
			speaking++
		}
	}
	if speaking < active {
		return 0, 0
	}
	var heard [span]levels
	var played [lags + span]levels
	for i, l := range d.heard {
		for b, v := range l {
			heard[i][b] = max(v, d.noise[b]+over)
		}
	}
	for i, l := range d.played {
		for b, v := range l {
			played[i][b] = max(v, least[b])
		}
	}
	if d.lag >= 0 { // it rarely moves
		if c := correlation(heard[:], played[lags-d.lag:lags-d.lag+span]); c > plain {
			return d.lag, c
		}
	}
	for l := range lags {
		if c := correlation(heard[:], played[lags-l:lags-l+span]); c > likeness {
			lag, likeness = l, c
		}
	}
	return lag, likeness
}

// sounding is how alike the two are at the delay that was found while Echo speaks: what begins and ends together is alike too.
func (d *delay) sounding() float64 {
	var heard, played []levels
	for i, h := range d.heard {
		l := d.arriving(i)
		sum := 0.0
		for b := range bands {
			h[b] = max(h[b], d.noise[b]+over)
			sum += l[b]
		}
		if sum > bands*(audible+15) {
			heard, played = append(heard, h), append(played, l)
		}
	}
	if len(heard) < active {
		return 0
	}
	return correlation(heard, played)
}

// settle has a noise floor follow what is heard: down quickly, up by 2 dB a second.
func settle(floor *levels, heard levels) {
	for b := range bands {
		floor[b] = min(floor[b]+0.02, max(heard[b], floor[b]-1))
	}
}

func push(line []levels, l levels) {
	copy(line, line[1:])
	line[len(line)-1] = l
}

// correlation is Pearson's over all bands, each about its own mean; 0 where one of the two does not vary.
func correlation(a, b []levels) float64 {
	var meanA, meanB levels
	n := float64(len(a))
	for i := range a {
		for k := range bands {
			meanA[k] += a[i][k] / n
			meanB[k] += b[i][k] / n
		}
	}
	both, squareA, squareB := 0.0, 0.0, 0.0
	for i := range a {
		for k := range bands {
			x, y := a[i][k]-meanA[k], b[i][k]-meanB[k]
			both, squareA, squareB = both+x*y, squareA+x*x, squareB+y*y
		}
	}
	if squareA == 0 || squareB == 0 {
		return 0
	}
	return both / math.Sqrt(squareA*squareB)
}
