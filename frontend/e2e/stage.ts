// What most files of tests stand on: Echo with a scripted model, and a browser, from the first test to the last.

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { startBrowser, type Visit, type VisitOptions, visit } from "./browser";
import { type Model, startModel } from "./model";
import { type Server, startServer } from "./server";

export interface Stage {
  server: Server;
  browser: Browser;
  model: Model;
  /** Opens a page that is closed after the test, which fails where the page had an error. */
  page(options?: VisitOptions): Promise<Page>;
}

/** Sets the stage up around the tests of the file that calls it; afterwards runs after each, when its pages are closed. */
export function setStage(afterwards?: () => Promise<void>): Stage {
  let visits: Visit[] = [];
  const stage = {
    async page(options?: VisitOptions): Promise<Page> {
      const made = await visit(stage.browser, stage.server, options);
      visits.push(made);
      return made.page;
    },
  } as Stage;

  beforeAll(async () => {
    stage.model = await startModel();
    stage.server = await startServer(stage.model.settings);
    stage.browser = await startBrowser();
  });

  afterEach(async () => {
    const closing = visits;
    visits = [];
    for (const { context } of closing) await context.close();
    for (const { errors } of closing) expect(errors).toEqual([]);
    await afterwards?.();
  });

  afterAll(async () => {
    await stage.browser?.close();
    await stage.server?.stop();
    await stage.model?.stop();
  });
  return stage;
}
