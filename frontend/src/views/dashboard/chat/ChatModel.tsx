import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { useChats, useChatsState } from "../../../hooks/chatContext";
import { useEcho, useEchoState } from "../../../hooks/useEcho";
import { Menu } from "../../../ui/Menu";
import { ModelChoices } from "../../talk/ModelChoices";
import styles from "./ChatModel.module.css";

/** Who answers the next questions on this page. Nothing chosen: the model of the settings. */
export function ChatModel(): ReactNode {
  const echo = useEcho();
  const chats = useChats();
  const chosen = useChatsState((state) => state.model);
  const name = useEchoState(({ models }) => models?.models.find(({ id }) => id === chosen)?.name ?? chosen);
  const words = name === "" ? "Model" : name;
  return (
    <Menu
      label="Model for this page"
      onOpen={(open) => {
        if (open) echo.loadModels();
      }}
      button={
        <button type="button" className={styles.button} aria-label={`Model: ${name === "" ? "as in Settings" : name}`}>
          <span>{words}</span>
          <ChevronDown size={14} aria-hidden />
        </button>
      }
    >
      <ModelChoices chosen={chosen} first="As in Settings" onChoose={(model) => chats.chooseModel(model)} />
    </Menu>
  );
}
