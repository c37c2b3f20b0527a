// References to documents. A comment or page may only refer to a page of the repository, since readers have no other.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { FOLDERS, ROOT, type Source } from './source.ts'

/** Text of one file that may refer to documents; `line` is the line of its first character, from 1. */
export type Passage = { path: string; line: number; text: string }

/** The pages of the repository. */
export const readPages = (): { path: string; text: string }[] =>
  globSync([`{${FOLDERS.join(',')},.github}/**/*.md`, '*.md'], { cwd: ROOT }).map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(join(ROOT, path), 'utf8'),
  }))

/** A name that ends in `.md`, with its folders if it has any. */
const REFERENCE = /[\w.-]*(?:\/[\w.-]+)*(?<=\w)\.md\b/g
const URL = /\bhttps?:\/\/\S+/g

export const commentsOf = ({ path, comments, lineAt }: Source): Passage[] =>
  comments.map(({ value, start }) => ({ path, line: lineAt(start), text: value }))

/** A reference is a path from the root, a path from the folder of its file, or only the name of a page. */
export function missingDocuments({ path, line, text }: Passage, pages: readonly string[]): string[] {
  const isThere = (name: string) =>
    pages.some((page) => page === name || page === join(dirname(path), name) || page.endsWith(`/${name}`))
  if (!text.includes('.md')) return []
  return text.split('\n').flatMap((part, at) =>
    [...part.replaceAll(URL, '').matchAll(REFERENCE)]
      .map(([reference]) => reference.replace(/^\//, ''))
      .filter((name) => !isThere(name))
      .map((name) => `${path}:${line + at} refers to ${name}, which is not in the repository`),
  )
}
