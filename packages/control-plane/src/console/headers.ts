// What a browser may do with a file of the console: run its own scripts, ask this site, and nothing else.
import type { Asset } from './load.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

export const consoleHeaders = (asset: Asset): Record<string, string> => ({
  'Content-Type': asset.type,
  'Cache-Control': asset.cache,
  'Content-Security-Policy': policy,
})
