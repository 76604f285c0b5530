// What the first words of commands stand for.

export const topics: Readonly<Record<string, string>> = {
  audit: 'Read and verify the journal of decisions.',
  change: 'Submit, look at and decide changes.',
  group: 'Agent groups: who they are and what they may do.',
  mcp: 'Tool servers, and who may use them.',
  model: 'Providers of models, and what was asked of them.',
  registry: 'What is registered: wirings, channels, tool servers.',
  'registry:channels': 'Channels that people write through.',
  'registry:servers': 'Tool servers, as svcctl mcp.',
  'registry:wirings': 'Which address of a channel leads to which group.',
  session: 'Conversations that have an agent.',
  token: 'Named tokens, and what they may do.',
}
