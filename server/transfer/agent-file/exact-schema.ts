import type { z } from 'zod';

/** The paths of all members of a type, with the kinds that they belong to: `assistant.toolCalls.name`. */
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

/** The paths that only one of two types has. */
type Difference<One, Other> = Exclude<Places<One>, Places<Other>> | Exclude<Places<Other>, Places<One>>;

/**
 * A schema that has exactly the members of a type. A member that only one of the two has, even an optional one, is a type
 * error that names it.
 */
export function exactSchema<Form>() {
  return <Shape extends z.ZodType<Form>>(
    shape: Shape &
      ([Difference<Form, z.output<Shape>>] extends [never] ? unknown : Difference<Form, z.output<Shape>>),
  ): Shape => shape;
}
