import type { ReactNode } from "react";
import type { Provider, Settings } from "../../../bridge/words";
import { useEchoState } from "../../../hooks/useEcho";
import { Cards, SecretField, SelectField, TextField } from "./Field";
import { Section } from "./Section";

const providers: { value: Provider; words: string; consequence: string }[] = [
  {
    value: "auto",
    words: "Echo chooses",
    consequence:
      "Ollama where it runs on this machine with a model, else the built-in skills. Nothing leaves this machine.",
  },
  {
    value: "builtin",
    words: "Built in",
    consequence:
      "Time, arithmetic, units, your notes and earlier chats, at once and offline. For anything else, choose a model file of this machine where one is listed below.",
  },
  {
    value: "ollama",
    words: "Ollama",
    consequence:
      "A model that Ollama runs, on this machine unless you name another address. It answers anything it can.",
  },
  {
    value: "openai",
    words: "A server that speaks OpenAI's API",
    consequence:
      "OpenAI, or any server like llama.cpp, LM Studio or vLLM. Your questions, and what tools read for them, go to that address.",
  },
];

export function AnswersSection({ id, settings }: { id: string; settings: Settings }): ReactNode {
  return (
    <Section
      id={id}
      title="Answers"
      words="Who writes Echo's answers. A change takes over once the answer in progress is done."
    >
      <ProviderFields settings={settings} />
    </Section>
  );
}

/** Who writes the answers, and what they need to be reached. */
export function ProviderFields({ settings }: { settings: Settings }): ReactNode {
  const { reasoning } = settings;
  const elsewhere = reasoning.provider === "openai" || reasoning.provider === "ollama";
  return (
    <>
      <Cards
        label="Who answers"
        value={reasoning.provider}
        options={providers}
        patch={(provider) => ({ reasoning: { provider } })}
      />
      {elsewhere && (
        <TextField
          label="Address"
          consequence={
            reasoning.provider === "ollama"
              ? "Empty: Ollama on this machine."
              : "Where the server is. It ends in /v1, as in https://api.openai.com/v1."
          }
          value={reasoning.base_url}
          placeholder={reasoning.provider === "ollama" ? "http://127.0.0.1:11434/v1" : "http://127.0.0.1:8080/v1"}
          patch={(base_url) => ({ reasoning: { base_url } })}
        />
      )}
      {reasoning.provider === "openai" && (
        <SecretField
          label="API key"
          consequence="Kept on this machine, readable by you alone, and sent to that address alone. It is never shown again."
          value={reasoning.api_key}
          patch={(api_key) => ({ reasoning: { api_key } })}
        />
      )}
      <ModelField settings={settings} />
    </>
  );
}

/** The built-in skills, as the list of models names them: built in, they are what answers without a model. */
const skills = "builtin";

/** The models that can be chosen now; one that is named but not listed stays chosen. */
function ModelField({ settings }: { settings: Settings }): ReactNode {
  const { provider, model } = settings.reasoning;
  const models = useEchoState((state) => state.models);
  // Where one answers whom the user named, that one's models alone can be chosen.
  const listed =
    models?.models.filter((each) => provider === "auto" || (each.provider === provider && each.id !== skills)) ?? [];
  if (provider === "builtin" && listed.length === 0 && model === "") return null;
  if (provider === "openai") {
    return (
      <TextField
        label="Model"
        consequence="Its name on that server. Empty: the first that the server lists."
        value={model}
        placeholder="The server's first"
        suggestions={listed.map((each) => each.id)}
        patch={(next) => ({ reasoning: { model: next } })}
      />
    );
  }
  const options = [
    { value: "", words: provider === "builtin" ? "None, the built-in skills alone" : "Echo's choice" },
    ...listed.map((each) => ({ value: each.id, words: each.name })),
    ...(model === "" || listed.some((each) => each.id === model)
      ? []
      : [{ value: model, words: `${model} (not found)` }]),
  ];
  return (
    <SelectField
      label="Model"
      consequence="Larger ones know more and take longer."
      value={model}
      options={options}
      patch={(next) => ({ reasoning: { model: next } })}
    />
  );
}
