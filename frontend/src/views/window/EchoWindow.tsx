import { ChevronsDown } from "lucide-react";
import type { ReactNode } from "react";
import { useEcho } from "../../hooks/useEcho";
import { IconButton } from "../../ui/Button";
import { Guard } from "../Guard";
import { Conversation } from "../talk/Conversation";
import { EchoMenu } from "../talk/EchoMenu";
import { Foot } from "../talk/Foot";
import { Head } from "../talk/Head";
import styles from "./EchoWindow.module.css";

export interface EchoWindowProps {
  menu: boolean;
  onMenu: (open: boolean) => void;
}

/** The floating window's panel. */
export function EchoWindow({ menu, onMenu }: EchoWindowProps): ReactNode {
  const { shell } = useEcho().transport;
  return (
    <main className={styles.panel}>
      <Head drag>
        <IconButton label="Fold (Esc)" onClick={() => shell?.fold()}>
          <ChevronsDown size={19} aria-hidden />
        </IconButton>
        <EchoMenu open={menu} onOpen={onMenu} />
      </Head>
      <Guard what="What was said">
        <Conversation />
      </Guard>
      <Foot />
    </main>
  );
}
