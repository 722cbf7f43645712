/** What a fragment of a JSON object contains, by members of its top level. */
export type MemberPiece =
  /** A member begins. */
  | { readonly kind: 'member'; readonly key: string }
  /** More of the member's value: `raw` as written; `text` decoded, where the value is a string. */
  | { readonly kind: 'value'; readonly key: string; readonly raw: string; readonly text: string }
  /** Text that is not a JSON object, or follows its end, as written. */
  | { readonly kind: 'other'; readonly raw: string };

type Place = 'start' | 'key_or_end' | 'key' | 'colon' | 'value_start' | 'value' | 'done' | 'broken';

/** The reader's position in the object. Plain data, so that reading is a pure function of it and the next fragment. */
export interface MemberState {
  readonly place: Place;
  /** The raw text of the key so far, with quotes, or the key of the current member. */
  readonly key: string;
  /** Open brackets and braces within the value. */
  readonly depth: number;
  readonly inString: boolean;
  /** The value is itself a string: its text is decoded. */
  readonly isText: boolean;
  /** A backslash sequence that the fragment cut off. */
  readonly escape: string;
}

export const memberStart: MemberState = {
  place: 'start',
  key: '',
  depth: 0,
  inString: false,
  isText: false,
  escape: '',
};

/**
 * Reads one more fragment of a JSON object that arrives piece by piece (a tool call's arguments). Promises:
 * 1. The joined pieces are the same however the text is cut; an escape that is cut waits for its rest.
 * 2. Nothing is held back except an unfinished key or escape, and white space between members.
 * 3. It never throws: text that is not an object comes out as `other`, as written.
 */
export function readMembers(
  state: MemberState,
  fragment: string,
): { state: MemberState; pieces: MemberPiece[] } {
  const reader = new MemberReader(state);
  for (const char of fragment) reader.read(char);
  return reader.finish();
}

class MemberReader {
  private readonly pieces: MemberPiece[] = [];
  private state: { -readonly [K in keyof MemberState]: MemberState[K] };
  private raw = '';
  private text = '';

  constructor(state: MemberState) {
    this.state = { ...state };
  }

  read(char: string): void {
    switch (this.state.place) {
      case 'start':
        this.open(char);
        break;
      case 'key_or_end':
        this.betweenMembers(char);
        break;
      case 'key':
        this.inKey(char);
        break;
      case 'colon':
        this.afterKey(char);
        break;
      case 'value_start':
        this.beginValue(char);
        break;
      case 'value':
        this.inValue(char);
        break;
      case 'done':
      case 'broken':
        this.raw += char;
    }
  }

  finish(): { state: MemberState; pieces: MemberPiece[] } {
    this.flush();
    return { state: this.state, pieces: this.pieces };
  }

  private open(char: string): void {
    if (isSpace(char)) return;
    if (char === '{') this.state.place = 'key_or_end';
    else this.breakOff(char);
  }

  private betweenMembers(char: string): void {
    if (isSpace(char) || char === ',') return;
    if (char === '}') this.state.place = 'done';
    else if (char === '"') Object.assign(this.state, { place: 'key', key: '"', escape: '' });
    else this.breakOff(char);
  }

  private inKey(char: string): void {
    this.state.key += char;
    if (this.state.escape !== '') {
      this.state.escape = '';
    } else if (char === '\\') {
      this.state.escape = char;
    } else if (char === '"') {
      this.state.key = decodeString(this.state.key);
      this.state.place = 'colon';
    }
  }

  private afterKey(char: string): void {
    if (isSpace(char)) return;
    if (char !== ':') {
      this.breakOff(char);
      return;
    }
    this.state.place = 'value_start';
    this.pieces.push({ kind: 'member', key: this.state.key });
  }

  private beginValue(char: string): void {
    if (isSpace(char)) return;
    Object.assign(this.state, {
      place: 'value',
      depth: 0,
      inString: false,
      isText: char === '"',
      escape: '',
    });
    this.inValue(char);
  }

  private inValue(char: string): void {
    if (this.state.inString) {
      this.inString(char);
      return;
    }
    if (this.state.depth === 0 && (char === ',' || char === '}')) {
      this.endValue(char);
      return;
    }
    if (char === '"') this.state.inString = true;
    else if (char === '{' || char === '[') this.state.depth += 1;
    else if (char === '}' || char === ']') this.state.depth -= 1;
    this.raw += char;
  }

  private inString(char: string): void {
    const { escape } = this.state;
    if (escape !== '') {
      this.inEscape(escape + char);
      return;
    }
    if (char === '\\') {
      this.state.escape = char;
      return;
    }
    this.raw += char;
    if (char === '"') this.state.inString = false;
    else this.text += char;
  }

  private inEscape(sequence: string): void {
    if (needsMore(sequence)) {
      this.state.escape = sequence;
      return;
    }
    this.state.escape = '';
    if (/^\\u.{4}[^\\]$/.test(sequence)) {
      // Half of a surrogate pair without the other half: the next character may end the string.
      this.takeEscape(sequence.slice(0, 6));
      this.inString(sequence.slice(6));
    } else {
      this.takeEscape(sequence);
    }
  }

  private takeEscape(sequence: string): void {
    this.raw += sequence;
    this.text += decodeString(`"${sequence}"`);
  }

  private endValue(char: string): void {
    this.flush();
    this.state.place = char === '}' ? 'done' : 'key_or_end';
  }

  private breakOff(char: string): void {
    this.flush();
    this.state.place = 'broken';
    this.raw += char;
  }

  private flush(): void {
    const { raw } = this;
    if (raw === '') return;
    if (this.state.place === 'done' || this.state.place === 'broken')
      this.pieces.push({ kind: 'other', raw });
    else
      this.pieces.push({ kind: 'value', key: this.state.key, raw, text: this.state.isText ? this.text : '' });
    this.raw = '';
    this.text = '';
  }
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}

/** Whether an escape is incomplete; the first half of a surrogate pair waits for the second. */
function needsMore(sequence: string): boolean {
  if (!sequence.startsWith('\\u')) return false;
  if (sequence.length < 6) return true;
  const unit = parseInt(sequence.slice(2, 6), 16);
  if (unit < 0xd800 || unit > 0xdbff || sequence.length >= 12) return false;
  const rest = sequence.slice(6);
  return '\\u'.startsWith(rest) || (rest.startsWith('\\u') && rest.length < 6);
}

/** The text of a JSON string literal; as written where it is broken. */
function decodeString(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal.slice(1, -1);
  }
}
