import { ChevronRight, CircleAlert, LoaderCircle, Wrench } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import type { ToolCall } from "../../bridge/words";
import { toolWords } from "../../state/derive";
import styles from "./ToolLine.module.css";

function argumentsOf(tool: ToolCall): string {
  if (typeof tool.arguments !== "object" || tool.arguments === null) return "";
  const entries = Object.entries(tool.arguments);
  if (entries.length === 0) return "";
  return entries
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

/** What stands beside the words of a closed line: the one thing that the call was about. */
function gistOf(tool: ToolCall): string {
  const [first] = typeof tool.arguments === "object" && tool.arguments !== null ? Object.values(tool.arguments) : [];
  return typeof first === "string" ? first : "";
}

/** A tool call: one quiet line, that opens. */
export function ToolLine({ tool }: { tool: ToolCall }): ReactNode {
  const [open, setOpen] = useState(false);
  const id = useId();
  const gist = gistOf(tool);
  const args = argumentsOf(tool);
  return (
    <div className={styles.tool} data-status={tool.status}>
      <button
        type="button"
        className={styles.line}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <ToolIcon status={tool.status} />
        <span className={styles.words}>
          {tool.status === "failed"
            ? `${toolWords(tool.name, "done")}, which failed`
            : toolWords(tool.name, tool.status)}
        </span>
        {gist !== "" && <span className={styles.gist}>{gist}</span>}
        <ChevronRight size={14} aria-hidden className={styles.chevron} />
      </button>
      {open && (
        <div id={id} className={styles.detail}>
          {args !== "" && <pre>{args}</pre>}
          <pre className={styles.result}>{tool.result === "" ? "No result yet." : tool.result}</pre>
        </div>
      )}
    </div>
  );
}

function ToolIcon({ status }: { status: ToolCall["status"] }): ReactNode {
  switch (status) {
    case "running":
      return <LoaderCircle size={14} aria-hidden className={styles.spin} />;
    case "failed":
      return <CircleAlert size={14} aria-hidden />;
    case "done":
      return <Wrench size={13} aria-hidden />;
  }
}
