import { Component, type ReactNode } from "react";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import styles from "./Guard.module.css";

export interface GuardProps {
  /** What cannot be shown, as it begins a sentence. */
  what: string;
  /** Shown instead; without it, a notice with a way back. */
  instead?: ReactNode;
  /** With another value what failed is tried once more. */
  value?: string;
  children: ReactNode;
}

interface GuardState {
  error: unknown;
  value: string | undefined;
}

/** A part of the program that could not be fetched stays missing until the page is loaded anew: Echo was updated meanwhile, or was down. */
const missing = /dynamically imported module|module script|preload CSS/i;

/** Keeps the fault of one view to that view: what is around it, and the conversation, goes on. */
export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { error: null, value: this.props.value };

  static getDerivedStateFromError(error: unknown): Partial<GuardState> {
    return { error: error ?? new Error("unknown") };
  }

  static getDerivedStateFromProps(props: GuardProps, state: GuardState): Partial<GuardState> | null {
    return props.value === state.value ? null : { error: null, value: props.value };
  }

  private readonly again = () => {
    if (this.state.error instanceof Error && missing.test(this.state.error.message)) window.location.reload();
    else this.setState({ error: null });
  };

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    if (this.props.instead !== undefined) return this.props.instead;
    return (
      <div className={styles.fault}>
        <Notice
          kind="danger"
          live
          actions={
            <Button small onClick={this.again}>
              Show it again
            </Button>
          }
        >
          {`${this.props.what} could not be shown. Your conversation goes on.`}
        </Notice>
      </div>
    );
  }
}
