/** One promise of perdure: what a user or an operator may rely on. */
export interface Requirement {
  /** `group.name`, as tests cite it in their titles: `[turn.resume]`. */
  readonly id: string;
  /** `Foundation n`, `Bad input`, `Shown`: CHANGELOG.md; `Rule: …`, `Memory`: docs/architecture.md; `Wire`: docs/compatibility.md; `Programs`: docs/mcp-server.md and its neighbours. */
  readonly source: string;
  /** What happens, in a sentence. */
  readonly behaviour: string;
}

/** Requirements of one area by id. */
export type Promises = Readonly<Record<string, readonly [source: string, behaviour: string]>>;

/** A promise about time, which a loaded machine would break in any test: the bench shows it. */
export interface Measured extends Requirement {
  /** Prints the figure beside its aim. */
  readonly command: string;
}
