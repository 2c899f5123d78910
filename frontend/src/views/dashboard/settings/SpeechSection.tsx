import type { ReactNode } from "react";
import type { Settings } from "../../../bridge/words";
import { Cards, SecretField, TextField } from "./Field";
import { Section } from "./Section";

export function SpeechSection({ id, settings }: { id: string; settings: Settings }): ReactNode {
  const { recognizer, synthesizer } = settings.speech;
  return (
    <Section id={id} title="Hearing and speaking">
      <Cards
        label="Who turns your voice into words"
        value={recognizer.engine}
        options={[
          {
            value: "builtin",
            words: "This machine",
            consequence: "Built in, in English, offline. Your voice stays here.",
          },
          {
            value: "openai",
            words: "A server that speaks OpenAI's API",
            consequence: "For other languages, or a larger model. What you say goes to that address as sound.",
          },
        ]}
        patch={(engine) => ({ speech: { recognizer: { engine } } })}
      />
      {recognizer.engine === "openai" && (
        <>
          <TextField
            label="Address"
            consequence="Where the server is. It ends in /v1."
            value={recognizer.base_url}
            placeholder="http://127.0.0.1:8000/v1"
            patch={(base_url) => ({ speech: { recognizer: { base_url } } })}
          />
          <SecretField
            label="API key"
            value={recognizer.api_key}
            patch={(api_key) => ({ speech: { recognizer: { api_key } } })}
          />
          <TextField
            label="Model"
            value={recognizer.model}
            placeholder="whisper-1"
            patch={(model) => ({ speech: { recognizer: { model } } })}
          />
          <TextField
            label="Language you speak"
            consequence="Two letters, such as en or de. Empty: the server finds out."
            value={recognizer.language}
            placeholder="Found out by the server"
            patch={(language) => ({ speech: { recognizer: { language } } })}
          />
        </>
      )}
      <Cards
        label="Who reads answers aloud"
        value={synthesizer.engine}
        options={[
          { value: "builtin", words: "This machine", consequence: "Built-in voices, offline. Answers stay here." },
          {
            value: "openai",
            words: "A server that speaks OpenAI's API",
            consequence: "Other voices. What Echo says goes to that address as text.",
          },
        ]}
        patch={(engine) => ({ speech: { synthesizer: { engine } } })}
      />
      {synthesizer.engine === "openai" && (
        <>
          <TextField
            label="Address"
            consequence="Where the server is. It ends in /v1."
            value={synthesizer.base_url}
            placeholder="http://127.0.0.1:8880/v1"
            patch={(base_url) => ({ speech: { synthesizer: { base_url } } })}
          />
          <SecretField
            label="API key"
            value={synthesizer.api_key}
            patch={(api_key) => ({ speech: { synthesizer: { api_key } } })}
          />
          <TextField
            label="Model"
            value={synthesizer.model}
            placeholder="tts-1"
            patch={(model) => ({ speech: { synthesizer: { model } } })}
          />
        </>
      )}
    </Section>
  );
}
