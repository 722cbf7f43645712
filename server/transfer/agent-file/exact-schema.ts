import type { z } from 'zod';

/** Where the members of a form stand, each with the kinds that it is of: `assistant.toolCalls.name`. */
type Places<Form> = Form extends readonly (infer Item)[]
  ? Places<Item>
  : Form extends object
    ? {
        [Key in keyof Form & string]-?: `${Kind<Form>}${Key}${Below<NonNullable<Form[Key]>>}`;
      }[keyof Form & string]
    : never;

type Kind<Form> = Form extends { readonly kind: infer Name extends string }
  ? `${Name}.`
  : Form extends { readonly type: infer Name extends string }
    ? `${Name}.`
    : '';

type Below<Form> = '' | `.${Places<Form>}`;

/** What one of two forms has and the other has not. */
type Difference<One, Other> = Exclude<Places<One>, Places<Other>> | Exclude<Places<Other>, Places<One>>;

/**
 * A schema that keeps all of a form, as the compiler sees: a member that only one of the two has, also an optional one, is
 * a fault of types that names it.
 */
export function exactSchema<Form>() {
  return <Shape extends z.ZodType<Form>>(
    shape: Shape &
      ([Difference<Form, z.output<Shape>>] extends [never] ? unknown : Difference<Form, z.output<Shape>>),
  ): Shape => shape;
}
