// Renders a letter as plain text and as HTML that is readable in light and dark mode and by screen readers. Nothing is loaded
// from outside, so that opening a mail cannot be tracked.
import type { Letter } from './letters.ts'

export type Rendered = { subject: string; text: string; html: string }

const SIGNATURE = 'Countersign'

const STYLE =
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
  'body{margin:0;padding:24px;background:#fff;color:#1b1f24;font:16px/1.5 system-ui,sans-serif}' +
  'main{max-width:560px;margin:0 auto}h1{font-size:20px;line-height:1.3}' +
  'a{color:#0b57d0;overflow-wrap:anywhere}' +
  '.button{display:inline-block;padding:12px 20px;border-radius:6px;background:#0b57d0;color:#fff;text-decoration:none}' +
  'footer{color:#57606a;font-size:14px}' +
  '@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e9ec}a{color:#8ab4f8}' +
  '.button{background:#8ab4f8;color:#10151a}footer{color:#9aa4ae}}'

/** `url` is the one-time link of letters that have an action. */
export function render({ subject, lines, action }: Letter, url?: string): Rendered {
  const link = action !== undefined && url !== undefined ? { label: action, url } : undefined
  return {
    subject,
    text: [...lines, ...(link ? [`${link.label}:\n${link.url}`] : []), SIGNATURE].join('\n\n') + '\n',
    html: htmlOf(subject, lines, link),
  }
}

function htmlOf(subject: string, lines: readonly string[], link: { label: string; url: string } | undefined): string {
  const title = escaped(subject)
  const url = link && escaped(link.url)
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>`,
    ...lines.map((line) => `<p>${escaped(line)}</p>`),
    ...(link ? [`<p><a class="button" href="${url}">${escaped(link.label)}</a></p>`] : []),
    ...(link ? [`<p>Or open this address:<br><a href="${url}">${url}</a></p>`] : []),
    `<footer>${SIGNATURE}</footer></main></body></html>`,
  ].join('\n')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
