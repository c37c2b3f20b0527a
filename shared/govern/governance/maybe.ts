import type * as z from 'zod'

/** Optional, with `null` counting as absent. Issues keep the path inside the value, which a union with null would lose. */
export const maybe = <S extends z.ZodType>(schema: S) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional()

/** Like `maybe`, with a default for an absent value. */
export const orElse = <S extends z.ZodType>(schema: S, value: NoInfer<z.output<S>>) =>
  schema.nullish().transform((given): z.output<S> => given ?? value)
