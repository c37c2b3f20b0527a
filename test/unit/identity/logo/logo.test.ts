import { describe, expect, test } from 'vitest'
import { Failure } from '../../../../shared/base/lib/failure.ts'
import { LOGO_BYTES_MAX, logoIn, LogoUrl } from '../../../../shared/identity/logo/logo.ts'
import { JPEG, jpegOf, PNG, pngOf, urlOf, WEBP, webpOf } from '../../../support/logo.ts'

const problemOf = (url: string): string => {
  try {
    logoIn(url)
    return ''
  } catch (error) {
    if (error instanceof Failure && Array.isArray(error.detail)) return error.detail.map(({ msg }) => msg).join(' ')
    throw error
  }
}

describe('a logo', () => {
  test.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['image/webp', WEBP],
    ['image/webp', webpOf('VP8L', 40, 30)],
    ['image/webp', webpOf('VP8 ', 40, 30)],
  ])('may be %s', (type, bytes) => {
    const url = urlOf(type, bytes)

    expect(LogoUrl.safeParse(url).success).toBe(true)
    expect(logoIn(url)).toEqual({ type, bytes: bytes.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  test('is no SVG, no address elsewhere, and nothing that could leave its attribute', () => {
    for (const url of [
      'data:image/svg+xml;base64,PHN2Zy8+',
      'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
      'https://acme.example/logo.png',
      'data:image/png;base64,iVBOR" onerror="alert(1)',
      'data:image/png,x',
      'data:text/html;base64,PGI+',
    ])
      expect(LogoUrl.safeParse(url).success, url).toBe(false)
  })

  test('has the type of its URL, in any order of its parts', () => {
    const html = Buffer.from('<script>alert(1)</script>'.padEnd(64))
    for (const bytes of [html, JPEG, PNG.subarray(0, 20), Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]), Buffer.alloc(0)])
      expect(problemOf(urlOf('image/png', bytes))).toContain('not an image of the type')
    expect(problemOf(urlOf('image/jpeg', jpegOf(40, 30).subarray(0, 24)))).toContain('not an image of the type')
  })

  test('has at most 32 KiB and 1,024 pixels a side', () => {
    const long = (bytes: number) => urlOf('image/png', Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)]))
    expect([problemOf(long(LOGO_BYTES_MAX)), LogoUrl.safeParse(long(LOGO_BYTES_MAX)).success]).toEqual(['', true])
    expect(problemOf(long(LOGO_BYTES_MAX + 1))).toContain('more than 32768 bytes')

    for (const [width, height] of [
      [1_025, 1],
      [1, 30_000],
      [0, 1],
    ] as const) {
      expect(problemOf(urlOf('image/png', pngOf(width, height)))).toContain('1 to 1024 pixels')
      if (width > 0) expect(problemOf(urlOf('image/jpeg', jpegOf(width, height)))).toContain('1 to 1024 pixels')
    }
    expect(problemOf(urlOf('image/png', pngOf(1_024, 1_024)))).toBe('')
  })
})
