// Which 20 ms frames hold a voice: energy above an adaptive noise floor. Pure, one frame at a time.

/** The least level that counts as voice, however quiet the room: below it lies the hiss of a microphone without a signal. */
const absoluteDb = -52;
/** How far a voiced frame stands above the floor. */
const aboveFloorDb = 9;
const quietDb = -70;
/** The floor is the least smoothed level of the last 3 s, kept as minima of half a second: speech pauses, noise does not. */
const windows = 6;
const framesPerWindow = 25;

export interface GateFrame {
  voiced: boolean;
  /** 0 to 1, for a meter. */
  level: number;
  db: number;
}

export function levelDb(frame: Int16Array): number {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  const rms = Math.sqrt(sum / Math.max(1, frame.length)) / 32768;
  return rms <= 0 ? quietDb : Math.max(quietDb, 20 * Math.log10(rms));
}

/** A level for the eye: -56 dB is nothing, -14 dB is all. */
export function meterOf(db: number): number {
  return Math.max(0, Math.min(1, (db + 56) / 42));
}

export interface Gate {
  frame(frame: Int16Array): GateFrame;
  floorDb(): number;
}

export function createGate(): Gate {
  // A gate that has heard nothing takes the room for quiet, so that a first word is voiced at once.
  const minima: number[] = new Array<number>(windows).fill(quietDb + 8);
  let smoothed: number | null = null;
  let current = Number.POSITIVE_INFINITY;
  let count = 0;

  const floor = () => Math.min(current, ...minima);

  return {
    floorDb: floor,
    frame(frame) {
      const db = levelDb(frame);
      smoothed = smoothed === null ? db : smoothed + (db - smoothed) * 0.35;
      current = Math.min(current, smoothed);
      count++;
      if (count === framesPerWindow) {
        minima.shift();
        minima.push(current);
        current = Number.POSITIVE_INFINITY;
        count = 0;
      }
      const base = floor();
      return { voiced: db > Math.max(absoluteDb, base + aboveFloorDb), level: meterOf(db), db };
    },
  };
}
