/** Tokens of running tools; `digest` is the SHA-256 of the token, in hex. */
export interface ToolTokensTable {
  digest: string;
  agent_id: string;
  turn_id: string | null;
  step_id: string | null;
  tool_call_id: string | null;
  effect_id: string | null;
  expires_at: Date;
}
