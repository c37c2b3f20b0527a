import type { Header } from './header.ts'

/** Parses a header; undefined when the text is not a JSON object. Its members are not checked. */
export function readHeader(text: string): Partial<Header> | undefined {
  try {
    const parsed: Partial<Header> | null = JSON.parse(text)
    return typeof parsed === 'object' && parsed ? parsed : undefined
  } catch {
    return undefined
  }
}
