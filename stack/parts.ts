/** Something that the stack started. */
export interface Part {
  readonly name: string;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Ends it at once, without waiting. */
  kill(): void;
}

/** What is running, in the order in which it was started. */
export interface Parts {
  add(part: Part): void;
  /** Ends all, last first. A failure does not stop the others; the first one is thrown at the end. */
  stop(): Promise<void>;
  kill(): void;
}

/** None yet. */
export function createParts(): Parts {
  const parts: Part[] = [];
  return {
    add: (part) => {
      parts.push(part);
    },
    stop: async () => {
      const failures: unknown[] = [];
      for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
        await part.stop().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
    kill: () => {
      for (const part of parts.splice(0).reverse()) part.kill();
    },
  };
}
