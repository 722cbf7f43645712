/** Tables of what people say of steps. */
export interface FeedbackTables {
  step_feedback: {
    step_id: string;
    feedback: 'positive' | 'negative' | null;
    tags: string[];
  };
}
