// Forms with brackets in their names, as Stripe's API takes them: `items[0][price]=x`.
export type Tree = { [name: string]: Tree | string }

export function parseForm(text: string): Tree {
  const root: Tree = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const parts = name.split(/[[\]]+/).filter(Boolean)
    const last = parts.pop() ?? ''
    let at = root
    for (const part of parts) {
      const inner = at[part]
      at = typeof inner === 'object' ? inner : (at[part] = {})
    }
    at[last] = value
  }
  return root
}

export const textAt = (of: Tree | string | undefined, ...path: string[]): string | undefined => {
  const found = path.reduce<Tree | string | undefined>(
    (at, name) => (typeof at === 'object' ? at[name] : undefined),
    of,
  )
  return typeof found === 'string' ? found : undefined
}
