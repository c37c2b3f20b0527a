// Reads CSV by the grammar of RFC 4180; written from the grammar, not from the code under test.

/** One object for each record, by the names in the first one. */
export function readCsv(text: string): Record<string, string>[] {
  const [head = [], ...records] = recordsOf(text)
  return records.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])))
}

function recordsOf(text: string): string[][] {
  const records: string[][] = []
  let cells: string[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy
  for (let at = 0; at < text.length;) {
    field.lastIndex = at
    const found = field.exec(text)
    if (!found) throw new Error(`no CSV at ${at}: ${text.slice(at, at + 40)}`)
    const [all, quoted, plain = '', end] = found
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end !== ',') {
      records.push(cells)
      cells = []
    }
    at += all.length
  }
  return records
}
