// Redirect URIs of products whose agents connect by MCP, for clients that a tenant registers. Data only: a product may change
// its addresses, so each entry says when it was last compared with what the product documents.

export const PRESETS = ['claude', 'vscode', 'cursor', 'custom'] as const
export type Preset = (typeof PRESETS)[number]

export const PRESET_URIS: Record<Preset, { checked: string; redirect_uris: readonly string[] }> = {
  claude: {
    checked: '2026-11-24',
    redirect_uris: [
      'https://claude.ai/api/mcp/auth_callback',
      'https://claude.com/api/mcp/auth_callback',
      'http://localhost/callback', // the command line, on any port
    ],
  },
  vscode: {
    checked: '2026-11-24',
    redirect_uris: [
      'https://vscode.dev/redirect',
      'https://insiders.vscode.dev/redirect',
      'http://127.0.0.1/', // on any port
    ],
  },
  cursor: {
    checked: '2026-11-24',
    redirect_uris: ['http://localhost:8787/callback', 'https://www.cursor.com/agents/mcp/oauth/callback'],
  },
  custom: { checked: '2026-11-24', redirect_uris: [] },
}
