import type { TurnEvent, WireCall } from '../turn-stream.js';
import type { Paint } from './paint.js';
import { cut, toLine } from './table.js';
import { toFigure } from './times.js';

/** A turn as text for a terminal, piece by piece. */
export interface TurnLines {
  /** What is to be written for an event. */
  show(event: TurnEvent): string;
  /** Lines of something else that happened, such as a change of a block. */
  aside(lines: readonly string[]): string;
  /** Ends a line that is still open. */
  end(): string;
}

const longestCall = 160;
const longestResult = 240;

/** Begins a turn. Fragments of an answer go on in the line that they began. */
export function createTurnLines(
  paint: Paint,
  { agent = 'agent' }: { readonly agent?: string } = {},
): TurnLines {
  let open: string | undefined;
  let call: { readonly key: string; name: string; args: string } | undefined;

  const endLine = (): string => {
    const ended = open === undefined ? '' : '\n';
    open = undefined;
    return ended + endCall();
  };
  const endCall = (): string => {
    if (call === undefined) return '';
    const { name, args } = call;
    call = undefined;
    return `${paint.yellow('→')} ${renderCall({ name, arguments: args }, paint)}\n`;
  };
  const line = (text: string): string => `${endLine()}${text}\n`;
  const fragment = (key: string, begin: string, text: string): string => {
    if (text === '') return '';
    if (open === key) return text;
    const ended = endLine();
    open = key;
    return `${ended}${begin}${text}`;
  };
  const callFragment = (event: TurnEvent): string => {
    let written = open === undefined ? '' : endLine();
    for (const one of callsOf(event)) {
      const key = one.tool_call_id ?? call?.key ?? '';
      if (call?.key !== key) {
        written += endCall();
        call = { key, name: '', args: '' };
      }
      call.name += one.name ?? '';
      call.args += one.arguments ?? '';
    }
    return written;
  };

  return {
    show(event) {
      switch (event.message_type) {
        case 'reasoning_message':
          return fragment(`reasoning ${event.id ?? ''}`, paint.dim('  '), paint.dim(event.reasoning ?? ''));
        case 'assistant_message':
          return fragment(
            `said ${event.id ?? ''}`,
            `${paint.bold(paint.magenta(agent))}  `,
            textOf(event.content),
          );
        case 'tool_call_message':
        case 'approval_request_message':
          return callFragment(event);
        case 'tool_return_message':
          return line(renderResult(event, paint));
        case 'user_message':
          return line(`${paint.bold('you')}  ${textOf(event.content)}`);
        case 'system_message':
          return event.abandoned_message_id === undefined
            ? line(paint.dim(cut(toLine(textOf(event.content)), longestResult)))
            : line(paint.yellow('That answer broke off. The model is called again.'));
        case 'error_message':
          return line(paint.red(`The turn failed: ${event.message ?? event.detail ?? ''}`));
        case 'usage_statistics':
          return line(paint.dim(renderUsage(event)));
        case 'stop_reason':
          return event.stop_reason === 'end_turn'
            ? endLine()
            : line(paint.dim(`ended by ${event.stop_reason ?? ''}`));
        default:
          return '';
      }
    },
    aside: (lines) => `${endLine()}${lines.map((one) => `${one}\n`).join('')}`,
    end: endLine,
  };
}

/** A call on one line: `name(label: human, content: Lives in Oslo)`. */
export function renderCall({ name, arguments: args }: WireCall, paint: Paint): string {
  return `${paint.bold(name ?? '')}(${cut(toLine(argumentsOf(args ?? '')), longestCall)})`;
}

/** The calls of an event, whichever of its fields has them. */
export function callsOf({ tool_call: one, tool_calls: several }: TurnEvent): readonly WireCall[] {
  if (Array.isArray(several) && several.length > 0) return several as readonly WireCall[];
  return one === undefined ? [] : [one];
}

function argumentsOf(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return text;
    return Object.entries(parsed)
      .filter(([name]) => name !== 'request_heartbeat' && name !== 'thinking')
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', ');
  } catch {
    return text;
  }
}

function renderResult({ status, tool_return: result }: TurnEvent, paint: Paint): string {
  const text = cut(toLine(textOf(result)), longestResult);
  return status === 'error' ? paint.red(`← ${text}`) : paint.dim(`← ${text}`);
}

function renderUsage(event: TurnEvent): string {
  const cached = event.cached_input_tokens ?? 0;
  const steps = event.step_count ?? 0;
  return [
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    `${toFigure(event.prompt_tokens)} tokens read${cached > 0 ? `, ${toFigure(cached)} of them cached` : ''}`,
    `${toFigure(event.completion_tokens)} written`,
  ].join(' · ');
}

/** The text of a message's content, which is a text or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content == null ? '' : JSON.stringify(content);
  return content
    .map(
      (part: { readonly type?: string; readonly text?: string }) => part.text ?? `[${part.type ?? 'part'}]`,
    )
    .join('');
}
