import { type AudioOut, outputRate } from "./player";

/** Web Audio as the player's output. The context is made with the first sound, not with the page. */
export function createAudioOut(): AudioOut {
  let made: { context: AudioContext; gain: GainNode } | null = null;

  function ready(): { context: AudioContext; gain: GainNode } {
    if (made === null) {
      // At the voice's own rate, so that frames join sample to sample and the browser resamples once, behind them.
      const context = new AudioContext({ latencyHint: "interactive", sampleRate: outputRate });
      const gain = context.createGain();
      gain.connect(context.destination);
      made = { context, gain };
    }
    return made;
  }

  return {
    now: () => made?.context.currentTime ?? 0,
    suspended: () => ready().context.state !== "running",
    resume: () => ready().context.resume(),
    play(pcm, at) {
      const { context, gain } = ready();
      const buffer = context.createBuffer(1, pcm.length, outputRate);
      const channel = buffer.getChannelData(0);
      for (let i = 0; i < pcm.length; i++) channel[i] = (pcm[i] ?? 0) / 32768;
      const source = context.createBufferSource();
      source.buffer = buffer;
      source.connect(gain);
      source.start(at);
      return () => {
        source.stop();
        source.disconnect();
      };
    },
    ramp(to, seconds) {
      const { context, gain } = ready();
      const now = context.currentTime;
      gain.gain.cancelScheduledValues(now);
      gain.gain.setValueAtTime(gain.gain.value, now);
      gain.gain.linearRampToValueAtTime(to, now + seconds);
    },
  };
}
