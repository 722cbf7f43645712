import { describe, expect, it } from '@jest/globals';
import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { estimateRequest, estimateTokens } from '../../../core/threads/tokens.js';
import { builtinTools } from '../../../core/tools/tools.js';

const english =
  'When the agent learns something new, it edits its own memory; later, it answers from there. Nothing is lost between conversations, however long ago they were.';

const samples: [string, string][] = [
  ['English', english],
  [
    'German',
    'Die Geschwindigkeitsbegrenzung auf österreichischen Autobahnen beträgt üblicherweise hundertdreißig Stundenkilometer.',
  ],
  ['Finnish', 'Järjestelmällisyydellänsäkään hän ei saanut epäjärjestelmällisyyttään kuriin talvella.'],
  ['Polish', 'Zażółć gęślą jaźń, chrząszcz brzmi w trzcinie w Szczebrzeszynie.'],
  ['Vietnamese', 'Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.'],
  ['Russian', 'Все люди рождаются свободными и равными в своём достоинстве и правах.'],
  ['Greek', 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.'],
  ['Hebrew', 'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם'],
  ['Arabic', 'يولد جميع الناس أحراراً متساوين في الكرامة والحقوق'],
  ['Armenian', 'Բոլոր մարդիկ ծնվում են ազատ ու հավասար'],
  ['Hindi', 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है'],
  ['Thai', 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ'],
  ['Amharic', 'የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው'],
  ['Tibetan', 'འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང༌།'],
  ['Chinese', '人人生而自由,在尊严和权利上一律平等。'],
  ['Japanese', 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。'],
  ['Korean', '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.'],
  ['emoji', '🙂🐻‍❄️👩‍👩‍👧‍👦🏳️‍🌈 🎉🎉🎉'],
  ['JSON', JSON.stringify(builtinTools[1])],
  ['code', 'export function f(x: number): string {\n  return x > 0 ? `+${x}` : String(x);\n}\n'],
  ['a UUID', '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  ['base64', 'aGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0IG9mIGJhc2U2NCBlbmNvZGluZw=='],
  ['digits', '3141592653589793238462643383279502884197'],
  ['blanks', `a${' '.repeat(50)}b${'\n'.repeat(10)}c\t\td`],
];

describe('estimateTokens', () => {
  it.each(samples)('[memory.pressure] is never lower than the tokenizers’ counts for %s', (_, text) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(Math.max(cl100k(text).length, o200k(text).length));
  });

  it('is less than twice the real count for English', () => {
    expect(estimateTokens(english)).toBeLessThan(2 * o200k(english).length);
  });

  it('is zero for an empty text', () => {
    expect(estimateTokens('')).toBe(0);
  });
});

describe('estimateRequest', () => {
  it('counts every part of a request', () => {
    const [tool] = builtinTools;
    const system = { role: 'system', content: english } as const;
    const call = { id: 'c1', name: 'search', arguments: '{"q":"tea"}' };

    const alone = estimateRequest([system], []);

    expect(alone).toBeGreaterThan(estimateTokens(english));
    expect(estimateRequest([system], [tool!])).toBeGreaterThan(alone + 50);
    expect(
      estimateRequest([system, { role: 'assistant', content: '', toolCalls: [call] }], []),
    ).toBeGreaterThan(alone + 6);
    expect(
      estimateRequest([system, { role: 'tool', toolCallId: 'c1', content: english }], []),
    ).toBeGreaterThan(alone * 1.9);
  });

  it('does not count the data of an image as text', () => {
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image', url: `data:image/png;base64,${'A1b2'.repeat(100_000)}` },
    ] as const;

    expect(estimateRequest([{ role: 'user', content }], [])).toBeLessThan(2_000);
  });
});
