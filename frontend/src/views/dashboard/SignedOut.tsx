import type { ReactNode } from "react";
import { Orb } from "../../ui/Orb";
import styles from "./SignedOut.module.css";

/** The page was opened without its token: says how to get in. */
export function SignedOut(): ReactNode {
  return (
    <main className={styles.page}>
      <Orb size={88} mood="idle" />
      <h1>Echo does not know this browser yet</h1>
      <p>
        Choose <b>Open dashboard</b> in Echo's tray menu, or run <code>echo-companion open</code> in a terminal. Either
        opens this page signed in.
      </p>
    </main>
  );
}
