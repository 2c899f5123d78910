// The protocol's types, by the names that the rest of the frontend uses. They are generated from the server's structs.

export type * from "../protocol/types.gen";
export type { VoiceMode as Mode } from "../protocol/types.gen";
