import { memo, type ReactNode, useDeferredValue } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { splitBlocks, withMath } from "./blocks";
import { CodeBlock } from "./CodeBlock";
import { useLinkOpener } from "./links";
import styles from "./Markdown.module.css";
import { useMath } from "./useMath";

const schema = { ...defaultSchema, clobberPrefix: "answer-" };

function Link({ href, children }: { href?: string; children?: ReactNode }): ReactNode {
  const open = useLinkOpener();
  const outside = href !== undefined && /^(https?:|mailto:)/i.test(href);
  if (!outside) return <span>{children}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      onClick={(event) => {
        if (open === null) return;
        event.preventDefault();
        open(href);
      }}
    >
      {children}
    </a>
  );
}

/** Nothing is fetched because a model wrote its address: an image is a link, which its reader may follow in the browser. */
function Image({ src, alt }: { src?: string; alt?: string }): ReactNode {
  if (src === undefined || !/^https?:/i.test(src)) return <span>{alt}</span>;
  return <Link href={src}>{alt === undefined || alt === "" ? "Open image" : `Open image: ${alt}`}</Link>;
}

const components: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt }) => <Image src={typeof src === "string" ? src : undefined} alt={alt} />,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard.
    <section className={styles.table} tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
};

type Math = Pick<Options, "remarkPlugins" | "rehypePlugins"> | null;

const Block = memo(function Block({ text, math }: { text: string; math: Math }): ReactNode {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, ...(math?.remarkPlugins ?? [])]}
      rehypePlugins={[[rehypeSanitize, schema], ...(math?.rehypePlugins ?? [])]}
      components={components}
    >
      {text}
    </ReactMarkdown>
  );
});

/** An answer's Markdown, safe to show: no HTML of the model's is kept, no address is fetched by itself. */
export function Markdown({ text: newest }: { text: string }): ReactNode {
  // While text streams, keys and scrolling go before it.
  const text = useDeferredValue(newest);
  const math = useMath(text);
  const blocks = splitBlocks(math === null ? text : withMath(text));
  return (
    <div className={styles.markdown}>
      {blocks.map((block, index) => (
        // Blocks are added at the end alone: a block's place is its identity.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above.
        <Block key={index} text={block} math={math} />
      ))}
    </div>
  );
}
