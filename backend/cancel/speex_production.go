//go:build (production || dev) && cgo && linux

package cancel

/*
#cgo LDFLAGS: -lspeexdsp
#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>

static void configure(SpeexEchoState *echo, SpeexPreprocessState *rest, int rate) {
	spx_int32_t noise = -6, alone = -45, together = -15;
	speex_echo_ctl(echo, SPEEX_ECHO_SET_SAMPLING_RATE, &rate);
	speex_preprocess_ctl(rest, SPEEX_PREPROCESS_SET_ECHO_STATE, echo);
	speex_preprocess_ctl(rest, SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, &noise);
	speex_preprocess_ctl(rest, SPEEX_PREPROCESS_SET_ECHO_SUPPRESS, &alone);
	speex_preprocess_ctl(rest, SPEEX_PREPROCESS_SET_ECHO_SUPPRESS_ACTIVE, &together);
}
*/
import "C"

import "echo-companion/backend/speech"

// speex is SpeexDSP's echo canceller, and its suppressor for what the canceller leaves: by 45 dB while Echo speaks alone, by 15 dB
// while its user does as well. Noise goes down by no more than 6 dB: recognisers know noise better than its traces.
type speex struct {
	echo *C.SpeexEchoState
	rest *C.SpeexPreprocessState
}

func newFilter() filter {
	s := &speex{echo: C.speex_echo_state_init(frame, tail), rest: C.speex_preprocess_state_init(frame, speech.InputRate)}
	C.configure(s.echo, s.rest, speech.InputRate)
	return s
}

func (s *speex) clean(mic, played, out []int16) {
	var left [frame]C.spx_int16_t
	C.speex_echo_cancellation(s.echo, (*C.spx_int16_t)(&mic[0]), (*C.spx_int16_t)(&played[0]), &left[0])
	C.speex_preprocess_run(s.rest, &left[0])
	for i := range left {
		out[i] = int16(left[i])
	}
}

func (s *speex) close() {
	C.speex_echo_state_destroy(s.echo)
	C.speex_preprocess_state_destroy(s.rest)
}
