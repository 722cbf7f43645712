import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import type {
  ContentPart,
  ModelMessage,
  ModelRequest,
  ModelSettings,
  ModelToolCall,
  ToolChoice,
} from '../../core/models/model.js';

type Body = ChatCompletionCreateParamsStreaming;

/** OpenAI's reasoning models. They refuse `temperature` and `max_tokens`. */
const reasoningModel = /(^|\/)(o\d|gpt-5)/;

export function isReasoningModel(model: string): boolean {
  return reasoningModel.test(model);
}

/** The body of a streaming chat completion. `isOpenAi` is false for merely compatible servers. */
export function toChatRequest(model: string, request: ModelRequest, isOpenAi: boolean): Body {
  return {
    model,
    messages: request.messages.map(toMessage),
    ...toTools(request),
    ...toSettings(model, request.settings, isOpenAi),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toMessage(message: ModelMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : message.content.map(toPart),
      };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant':
      if (message.toolCalls.length === 0) return { role: 'assistant', content: message.content };
      return {
        role: 'assistant',
        // Several servers refuse an empty string here. All accept null if there are tool calls.
        content: message.content === '' ? null : message.content,
        tool_calls: message.toolCalls.map(toToolCall),
      };
  }
}

function toPart(part: ContentPart): ChatCompletionContentPart {
  return part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: part.url } };
}

function toToolCall(call: ModelToolCall): ChatCompletionMessageFunctionToolCall {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  };
}

// No `strict`: absent means false, and some servers refuse unknown fields.
function toTools({ tools, toolChoice, settings }: ModelRequest): Partial<Body> {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: { ...parameters } },
    })),
    tool_choice: toToolChoice(toolChoice),
    ...(settings.parallelToolCalls === undefined ? {} : { parallel_tool_calls: settings.parallelToolCalls }),
  };
}

function toToolChoice(choice: ToolChoice): ChatCompletionToolChoiceOption {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function toSettings(model: string, settings: ModelSettings, isOpenAi: boolean): Partial<Body> {
  const { temperature, maxOutputTokens, reasoningEffort, responseFormat } = settings;
  const thinks = isReasoningModel(model);
  const body: Partial<Body> = {};
  if (temperature !== undefined && !thinks) body.temperature = temperature;
  // Only OpenAI knows the newer name, and only its reasoning models refuse the older one.
  const limitName = thinks ? 'max_completion_tokens' : 'max_tokens';
  if (maxOutputTokens !== undefined) Object.assign(body, { [limitName]: maxOutputTokens });
  // OpenAI refuses it for other models. Elsewhere the agent's owner knows best.
  if (reasoningEffort !== undefined && (thinks || !isOpenAi)) body.reasoning_effort = reasoningEffort;
  if (responseFormat !== undefined) body.response_format = asResponseFormat(responseFormat);
  return body;
}

/** Agents carry the provider's own format, which only the provider can check. */
function asResponseFormat(format: Readonly<Record<string, unknown>>): NonNullable<Body['response_format']> {
  return format as unknown as NonNullable<Body['response_format']>;
}
