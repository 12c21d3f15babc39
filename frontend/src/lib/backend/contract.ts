// Generated from app/panel by `go test ./app/panel -update`. Change it there.

/** RFC 3339. */
export type Timestamp = string;

export interface APIFacts {
  url: string;
  token_file: string;
  clients: Client[];
  connected: number;
  commands: Command[];
  faults: Fault[];
}

export interface Appearance {
  theme: Theme;
  faults: Fault[];
}

export interface ShadowWalk {
  levers: LeverState[];
  saved_at?: Timestamp;
  unknown: string[];
  patched: PatchedTab[];
  faults: Fault[];
}

export interface BrowserFacts {
  status: Status;
  tabs: number;
  yours: number;
  faults: Fault[];
}

export interface Entry {
  id: string;
  run_id: string;
  at: Timestamp;
  verb: string;
  tab: string;
  site: string;
  outcome: string;
  code: string;
  duration_ms: number;
  input: unknown;
  input_cut: boolean;
  input_bytes: number;
  output: unknown;
  output_cut: boolean;
  output_bytes: number;
  protocol: Record<string, number>;
}

export interface Overview {
  tab: TabReading | null;
  counters: Counters;
}

export interface Deck {
  fresh: boolean;
  sessions: DeckSession[];
  last: Action[];
  commands: Command[];
}

export interface Exported {
  path: string;
}

export interface Hud {
  version: string;
  browser: BrowserChip;
  api: APIChip;
  walk: WalkChip;
  patch: PatchChip;
  sealed: SealedChip;
  faults: Fault[];
}

export interface LedgerPage {
  actions: Action[];
  older: string;
}

export interface Token {
  value: string;
}

export interface RunLog {
  run: Run;
  calls: LogCall[];
  total: number;
}

export interface RunsPage {
  runs: Run[];
  total: number;
  page: number;
  per_page: number;
  sites: string[];
}

export type Theme = "system" | "sunlit" | "midnight" | "neon" | "terminal";

export interface Changed {
  topic: Topic;
}

export interface BridgeError {
  code: ErrorCode;
  what: string;
  do: string;
  route: string;
  label: string;
}

export interface Client {
  name: string;
  surface: string;
  session: string;
  calls: number;
  last_at?: Timestamp;
}

export interface Command {
  label: string;
  text: string;
}

export interface Fault {
  code: string;
  area: Area;
  what: string;
  do: string;
  route: string;
  label: string;
  remedy: Remedy;
}

export interface LeverState {
  key: string;
  name: string;
  line: string;
  off: string;
  code: string;
  tier: Tier;
  kind: Kind;
  page: string;
  group: string;
  parent: string;
  built: boolean;
  on: boolean;
  number: number;
  default: boolean;
  min: number;
  max: number;
  unit: string;
  locked: string;
}

export interface PatchedTab {
  id: string;
  host: string;
}

export interface Status {
  state: State;
  product: string;
  version: string;
  transport: string;
  endpoint?: string;
  remote?: boolean;
  executable?: string;
  profile?: string;
  pid?: number;
  headless: boolean;
  no_sandbox: boolean;
  restarts: number;
  since: Timestamp;
  problem?: Problem;
}

export interface TabReading {
  tab: TabRef;
  sealed: number;
  read_at?: Timestamp;
  framed: boolean;
  frames: number;
  other_site: number;
  patched: boolean;
}

export interface Counters {
  since: Timestamp;
  quiet: Counter[];
  driving: Counter[];
}

export interface DeckSession {
  id: string;
  client: string;
  surface: string;
  tab: TabRef | null;
  tabs: number;
  calls: number;
  first_at?: Timestamp;
  last_at?: Timestamp;
  last_verb: string;
  last_site: string;
  last_outcome: string;
  run_id: string;
}

export interface Action {
  id: string;
  at: Timestamp;
  run_id: string;
  client: string;
  surface: string;
  session: string;
  tab: string;
  site: string;
  verb: string;
  sentence: string;
  undo: string;
}

export interface BrowserChip {
  state: State;
  product: string;
  major: string;
  transport: string;
  since: Timestamp;
}

export interface APIChip {
  address: string;
  clients: number;
}

export interface WalkChip {
  on: boolean;
  locked: string;
}

export interface PatchChip {
  armed: boolean;
  locked: string;
  tabs: PatchedTab[];
}

export interface SealedChip {
  reading: boolean;
  reads: number;
}

export interface Run {
  id: string;
  session: string;
  client: string;
  surface: string;
  started_at: Timestamp;
  last_at: Timestamp;
  calls: number;
  failures: number;
  sites: string[];
  outcome: string;
}

export interface LogCall {
  id: string;
  at: Timestamp;
  verb: string;
  tab: string;
  site: string;
  outcome: string;
  code: string;
  say: string;
  verdict: string;
  duration_ms: number;
}

export type Topic = "hud" | "shadow-walk" | "overview" | "runs" | "ledger" | "deck" | "browser" | "api";

export type ErrorCode = "INVALID" | "NEEDS_ARM" | "SAVE_FAILED" | "UNKNOWN_RUN" | "UNKNOWN_TAB" | "LOG_FAILED" | "TOKEN_FAILED" | "NO_ANSWER" | "INTERNAL";

export type Area = "browser" | "api" | "policy" | "settings" | "log" | "panel";

export type Remedy = "" | "restart_browser";

export type Tier = "SAFE" | "VISIBLE" | "COST" | "RISKY";

export type Kind = "switch" | "number";

export type State = "starting" | "running" | "restarting" | "down" | "stopped";

export interface Problem {
  what: string;
  fix: string;
  tried?: string[];
}

export interface TabRef {
  id: string;
  host: string;
  title: string;
}

export interface Counter {
  name: string;
  this_tab: number;
  all_tabs: number;
}

/** The one event on the bridge; its payload is Changed. */
export const changedEvent = "changed";

/** What can be asked of the backend. */
export interface Methods {
  api(): Promise<APIFacts>;
  appearance(): Promise<Appearance>;
  arm(key: string, word: string): Promise<ShadowWalk>;
  browser(): Promise<BrowserFacts>;
  call(run: string, id: string): Promise<Entry>;
  countFromNow(): Promise<Overview>;
  deck(): Promise<Deck>;
  exportRun(id: string): Promise<Exported>;
  hud(): Promise<Hud>;
  ledger(before: string): Promise<LedgerPage>;
  overview(): Promise<Overview>;
  reloadTab(id: string): Promise<void>;
  resetShadowWalk(): Promise<ShadowWalk>;
  restartBrowser(): Promise<void>;
  revealToken(): Promise<Token>;
  rotateToken(): Promise<Token>;
  run(id: string): Promise<RunLog>;
  runs(page: number, outcome: string, site: string): Promise<RunsPage>;
  setNumber(key: string, value: number): Promise<ShadowWalk>;
  setSwitch(key: string, on: boolean): Promise<ShadowWalk>;
  setTheme(theme: Theme): Promise<Appearance>;
  shadowWalk(): Promise<ShadowWalk>;
}

/** The names of the methods on the bridge. */
export const wireNames: Readonly<Record<keyof Methods, string>> = {
  api: "API",
  appearance: "Appearance",
  arm: "Arm",
  browser: "Browser",
  call: "Call",
  countFromNow: "CountFromNow",
  deck: "Deck",
  exportRun: "ExportRun",
  hud: "Hud",
  ledger: "Ledger",
  overview: "Overview",
  reloadTab: "ReloadTab",
  resetShadowWalk: "ResetShadowWalk",
  restartBrowser: "RestartBrowser",
  revealToken: "RevealToken",
  rotateToken: "RotateToken",
  run: "Run",
  runs: "Runs",
  setNumber: "SetNumber",
  setSwitch: "SetSwitch",
  setTheme: "SetTheme",
  shadowWalk: "ShadowWalk",
};
