// A scripted model provider, to be started inside a program.
export { type Provider, type ProviderOptions, type Seen, startProvider } from './server.ts'
export { isScript, parseScript } from './script/parse.ts'
