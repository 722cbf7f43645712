/** Whether a signal has been aborted. As a call, because a signal changes while others run. */
export function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
