import type { ReactNode } from "react";

export interface ChatPageProps {
  /** The chat that the address names; null: none is chosen. */
  chat: string | null;
}

/** Stands where the Chat page will be: the dashboard's rail leads here already. */
export function ChatPage({ chat }: ChatPageProps): ReactNode {
  return (
    <main className="page-note">
      <h1>Chat</h1>
      <p>{chat === null ? "Your chats will be listed here." : "This chat will be shown here."}</p>
    </main>
  );
}
