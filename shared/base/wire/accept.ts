// The media types that a client would rather have (RFC 9110, section 12.5.1).

/** From 0 (not acceptable) to 1, by the most specific range that names the type. */
export function qualityOf(accept: string, type: string): number {
  const ranges = [type, type.replace(/\/.*/, '/*'), '*/*']
  const known = accept.split(',').map(readRange)
  const found = ranges.map((range) => known.find(({ name }) => name === range)).find((one) => one !== undefined)
  return found?.quality ?? 0
}

function readRange(text: string): { name: string; quality: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { name, quality: given === undefined ? 1 : readQuality(given) }
}

const readQuality = (text: string): number => (/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0)

export const PROBLEM_JSON = 'application/problem+json'

/** True for a client that names problem details (RFC 9457) and does not prefer plain JSON. */
export function wantsProblem(accept = ''): boolean {
  if (!accept.toLowerCase().includes(PROBLEM_JSON)) return false // a range such as `*/*` names nothing
  const quality = qualityOf(accept, PROBLEM_JSON)
  return quality > 0 && quality >= qualityOf(accept, 'application/json')
}
