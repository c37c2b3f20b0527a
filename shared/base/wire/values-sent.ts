/** All values of a header, under every spelling of its name. */
export const valuesSent = (headers: Record<string, string[] | undefined> | null | undefined, name: string): string[] =>
  Object.entries(headers ?? {})
    .filter(([sent]) => sent.toLowerCase() === name)
    .flatMap(([, values = []]) => values)
