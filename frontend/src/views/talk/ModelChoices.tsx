import type { ReactNode } from "react";
import { useEchoState } from "../../hooks/useEcho";
import { MenuChoice, MenuNote } from "../../ui/Menu";

export interface ModelChoicesProps {
  chosen: string;
  /** What is chosen when none is named. */
  first: string;
  onChoose: (model: string) => void;
}

/** The models that can be chosen now, whoever runs them, and what could not be asked. */
export function ModelChoices({ chosen, first, onChoose }: ModelChoicesProps): ReactNode {
  const models = useEchoState((state) => state.models);
  if (models === null) return <MenuNote>Looking…</MenuNote>;
  return (
    <>
      {models.models.length === 0 && <MenuNote>Built-in skills only. Settings says how to add a model.</MenuNote>}
      {models.models.length > 0 && (
        <MenuChoice name="model" value="" chosen={chosen} onChoose={onChoose}>
          {first}
        </MenuChoice>
      )}
      {models.models.map((model) => (
        <MenuChoice
          key={`${model.provider} ${model.id}`}
          name="model"
          value={model.id}
          chosen={chosen}
          onChoose={onChoose}
          detail={`${model.provider}${model.local ? ", on this machine" : ""}`}
        >
          {model.name}
        </MenuChoice>
      ))}
      {models.problems.map((problem) => (
        <MenuNote key={problem.name}>{problem.problem}</MenuNote>
      ))}
    </>
  );
}
