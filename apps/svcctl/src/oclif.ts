// What is used of oclif: its flags, arguments and parser. Its command class and configuration load what takes longer than a command.
export * as Args from '@oclif/core/args'
export * as Flags from '@oclif/core/flags'
export { parse } from '@oclif/core/parser'
export type { ArgInput, FlagInput, Input, OutputArgs, OutputFlags, ParserOutput } from '@oclif/core/parser'
