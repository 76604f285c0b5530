// The codes of errors, of refusals to agents, and of the daemon's end.
import { codes, exits, toolErrorCodes } from '@gatehouse/contracts'
import { code, page, table } from '../page.ts'

export const errors = (): string =>
  page(
    'Errors',
    'Every error of the admin API is `application/problem+json` (RFC 9457) with one of these codes; svcctl ends with the exit code beside it.',
    table(
      ['code', 'HTTP', 'exit', 'meaning'],
      Object.entries(codes).map(([name, { status, exit, title }]) => [code(name), status, exit, title]),
    ),
    'A tool call on `tools.sock` is answered 200 with a result that the model can read; its `error.code` is one of:',
    toolErrorCodes.map(code).join(' '),
    'The daemon ends with:',
    table(
      ['exit', 'meaning'],
      Object.entries(exits).map(([name, exit]) => [exit, name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)]),
    ),
  )
