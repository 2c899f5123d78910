import { Check, Copy } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { IconButton } from "../../ui/Button";

const shownMs = 1600;

export function CopyButton({ label, text }: { label: string; text: () => string }): ReactNode {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <IconButton label={copied ? "Copied" : label} small onClick={copy}>
      {copied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
    </IconButton>
  );
}
