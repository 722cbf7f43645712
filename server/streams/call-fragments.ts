import type { LoopStyle } from '../../core/agents/agents.js';
import type { Rendering } from '../threads/rendering-wire.js';
import { type MemberPiece, memberStart, type MemberState, readMembers } from './json-members.js';

/** What a client is shown of a fragment of a tool call. */
export type CallPiece =
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'words'; readonly tool: string; readonly text: string }
  | {
      readonly kind: 'arguments';
      readonly name: string | null;
      readonly callId: string;
      readonly text: string;
    };

/** A tool call that is being streamed, as far as it was read. */
export interface CallState {
  readonly id: string;
  readonly name: string;
  readonly members: MemberState;
  /** Whether some of the call was shown: its name, or the agent's words. */
  readonly isShown: boolean;
  /** How many members of the arguments were shown. */
  readonly shownMembers: number;
}

export const callStart: CallState = {
  id: '',
  name: '',
  members: memberStart,
  isShown: false,
  shownMembers: 0,
};

interface CallFragment {
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

/** Arguments that hold a MemGPT agent's reasoning. They are shown as reasoning, never as part of the call. */
const thoughtKeys: ReadonlySet<string> = new Set(['thinking', 'inner_thoughts']);

/**
 * Reads one more fragment of a tool call. In a MemGPT loop reasoning is taken out of the arguments, and of a call that
 * speaks only the words are shown. The rest is the same JSON as in the stored call, apart from white space between
 * members.
 */
export function readCall(
  state: CallState,
  fragment: CallFragment,
  rendering: Pick<Rendering, 'style' | 'speaking'>,
): { state: CallState; pieces: CallPiece[] } {
  const named = { ...state, id: fragment.id ?? state.id, name: fragment.name ?? state.name };
  const text = fragment.arguments ?? '';
  const read = readMembers(named.members, text);
  const next = { ...named, members: read.state };
  const argument = rendering.speaking.get(named.name);
  if (argument !== undefined) return readSpeech(next, read.pieces, rendering.style, argument);
  return rendering.style === 'native' ? readPlain(next, text) : readThoughtful(next, read.pieces, state);
}

function readSpeech(
  state: CallState,
  pieces: readonly MemberPiece[],
  style: LoopStyle,
  argument: string,
): { state: CallState; pieces: CallPiece[] } {
  const shown: CallPiece[] = [];
  for (const piece of pieces) {
    if (piece.kind !== 'value' || piece.text === '') continue;
    if (piece.key === argument) shown.push({ kind: 'words', tool: state.name, text: piece.text });
    else if (isThought(piece.key, style)) shown.push({ kind: 'thought', text: piece.text });
  }
  const spoke = shown.some((piece) => piece.kind === 'words');
  return { state: { ...state, isShown: state.isShown || spoke }, pieces: shown };
}

function readPlain(state: CallState, text: string): { state: CallState; pieces: CallPiece[] } {
  return show(state, [], text);
}

function readThoughtful(
  state: CallState,
  pieces: readonly MemberPiece[],
  before: CallState,
): { state: CallState; pieces: CallPiece[] } {
  const thoughts: CallPiece[] = [];
  let shownMembers = state.shownMembers;
  let text = '';
  for (const piece of pieces) {
    if (piece.kind === 'other') text += piece.raw;
    else if (isThought(piece.key, 'tools')) {
      if (piece.kind === 'value' && piece.text !== '') thoughts.push({ kind: 'thought', text: piece.text });
    } else if (piece.kind === 'member') {
      text += `${shownMembers === 0 ? '{' : ', '}${JSON.stringify(piece.key)}: `;
      shownMembers += 1;
    } else text += piece.raw;
  }
  // Text after the object's end is shown before the brace; such a call is broken either way.
  const ends = state.members.place === 'done' && before.members.place !== 'done';
  if (ends) text = `${shownMembers === 0 ? '{' : ''}${text}}`;
  // The name waits for the first argument, so that reasoning is shown before the call.
  const waits = text === '' && !ends && state.members.place !== 'broken' && shownMembers === 0;
  if (waits) return { state: { ...state, shownMembers }, pieces: thoughts };
  return show({ ...state, shownMembers }, thoughts, text);
}

function show(
  state: CallState,
  before: readonly CallPiece[],
  text: string,
): { state: CallState; pieces: CallPiece[] } {
  if (state.isShown && text === '') return { state, pieces: [...before] };
  const piece: CallPiece = {
    kind: 'arguments',
    name: state.isShown ? null : state.name,
    callId: state.id,
    text,
  };
  return { state: { ...state, isShown: true }, pieces: [...before, piece] };
}

function isThought(key: string, style: LoopStyle): boolean {
  return style === 'tools' && thoughtKeys.has(key);
}
