import pc from 'picocolors';

/** Colours, or none. */
export type Paint = ReturnType<typeof pc.createColors>;

export function createPaint(colours: boolean): Paint {
  return pc.createColors(colours);
}
