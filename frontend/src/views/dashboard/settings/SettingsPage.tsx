import type { ReactNode } from "react";

/** Stands where the Settings page will be: the dashboard's rail leads here already. */
export function SettingsPage(): ReactNode {
  return (
    <main className="page-note">
      <h1>Settings</h1>
      <p>Echo's settings will be shown here. Until then they are in the window's menu, under Companion settings.</p>
    </main>
  );
}
