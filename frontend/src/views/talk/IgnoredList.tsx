import type { ReactNode } from "react";
import { useEcho } from "../../hooks/useEcho";
import { ignoredWords } from "../../state/derive";
import type { Ignored } from "../../state/talk";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/Notice";

/** What was said and taken for no question, so that it can be asked anyway. */
export function IgnoredList({ ignored }: { ignored: Ignored[] }): ReactNode {
  const echo = useEcho();
  return ignored.map(({ id, reason, text }) => {
    const anyway = () => {
      void echo.ask(text);
      echo.dismissIgnored(id);
    };
    return (
      <Notice
        key={id}
        live
        onDismiss={() => echo.dismissIgnored(id)}
        actions={
          text === "" ? undefined : (
            <Button small onClick={anyway}>
              Ask anyway
            </Button>
          )
        }
      >
        {text === "" ? ignoredWords(reason) : `“${text}” ${ignoredWords(reason)}`}
      </Notice>
    );
  });
}
