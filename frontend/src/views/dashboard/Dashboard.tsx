import { MessagesSquare, Mic, Settings2 } from "lucide-react";
import { lazy, type ReactNode, Suspense } from "react";
import { Link, Redirect, Route, Switch, useLocation, useSearchParams } from "wouter";
import { ChatsContext, useNewChats } from "../../hooks/chatContext";
import { useEcho, useEchoState } from "../../hooks/useEcho";
import { useTheme } from "../../hooks/useTheme";
import { Orb } from "../../ui/Orb";
import { Guard } from "../Guard";
import { useMood } from "../talk/useMood";
import styles from "./Dashboard.module.css";
import { SignedOut } from "./SignedOut";
import { VoicePage } from "./VoicePage";

// With what renders its answers: a chat that is read back must not change its height once it is shown.
const ChatPage = lazy(async () => {
  const [module] = await Promise.all([import("./chat/ChatPage"), import("../answer/Markdown")]);
  return { default: module.ChatPage };
});
const SettingsPage = lazy(() => import("./settings/SettingsPage").then((module) => ({ default: module.SettingsPage })));
const FirstRun = lazy(() => import("./first-run/FirstRun").then((module) => ({ default: module.FirstRun })));

const places = [
  { path: "/voice", words: "Voice", Icon: Mic },
  { path: "/chat", words: "Chat", Icon: MessagesSquare },
  { path: "/settings", words: "Settings", Icon: Settings2 },
];

/** The dashboard in a browser: a narrow rail, and the page that the address names. */
export function Dashboard(): ReactNode {
  useTheme();
  const signedOut = useEchoState((state) => state.signedOut);
  const chats = useNewChats();
  const settings = useEchoState((state) => state.settings);
  if (signedOut) return <SignedOut />;
  if (settings?.companion.welcomed === false) {
    return (
      <Suspense fallback={null}>
        <FirstRun settings={settings} />
      </Suspense>
    );
  }
  return (
    <div className={styles.dashboard}>
      <Rail />
      <div className={styles.page}>
        <ChatsContext value={chats}>
          <Page />
        </ChatsContext>
      </div>
    </div>
  );
}

/** The page that the address names. Where it fails, another one is still a click away. */
function Page(): ReactNode {
  const [location] = useLocation();
  const place = places.find(({ path }) => location.startsWith(path));
  return (
    <Guard what={place === undefined ? "This page" : `The page ${place.words}`} value={place?.path}>
      <Suspense fallback={null}>
        <Switch>
          <Route path="/voice">
            <Voice />
          </Route>
          <Route path="/chat/:id?">{({ id }) => <ChatPage chat={id ?? null} />}</Route>
          <Route path="/settings/*?">
            <SettingsPage />
          </Route>
          <Route>
            <Redirect to="/voice" replace />
          </Route>
        </Switch>
      </Suspense>
    </Guard>
  );
}

/** `/voice?chat=ID&title=TITLE` comes from Continue with Echo: it waits for a click. */
function Voice(): ReactNode {
  const [search, setSearch] = useSearchParams();
  const id = search.get("chat");
  const carry = id === null ? null : { id, title: search.get("title") ?? "this chat" };
  return <VoicePage carry={carry} onCarried={() => setSearch(new URLSearchParams(), { replace: true })} />;
}

function Rail(): ReactNode {
  const echo = useEcho();
  const [location] = useLocation();
  const mood = useMood();
  return (
    <nav className={styles.rail} aria-label="Echo">
      <Link href="/voice" className={styles.orb} aria-label="Echo" data-kind={echo.transport.kind}>
        <Orb size={34} mood={mood === "listening" ? "idle" : mood} />
      </Link>
      {places.map(({ path, words, Icon }) => {
        const here = location === path || location.startsWith(`${path}/`);
        return (
          <Link key={path} href={path} className={styles.place} aria-current={here ? "page" : undefined}>
            <Icon size={21} aria-hidden />
            <span>{words}</span>
          </Link>
        );
      })}
    </nav>
  );
}
