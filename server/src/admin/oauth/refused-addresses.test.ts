import { afterEach, expect, test } from 'vitest'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'
import { openOAuthWorld } from '../../../testing/worlds/oauth-world.ts'

describeWorld(openOAuthWorld, 'identity providers at forbidden addresses', (world) => {
  afterEach(async () => {
    world.oidc.restore()
    await world.plane.setOption('ChannelPrivateNetworksEnabled', 'true')
    // Discovery documents are cached for an hour.
    world.plane.clock.now += 2 * 3_600_000
  })

  test.each(['token_endpoint', 'userinfo_endpoint', 'jwks_uri'])(
    'a discovered %s is checked like a configured one',
    async (endpoint) => {
      world.oidc.publish({ [endpoint]: 'https://169.254.169.254/latest/meta-data' })
      const answer = await world.signIn('oidc', { id: `r-${endpoint}` })
      expect(answer.success).toBe(false)
      expect(answer.message).toMatch(/link-local, cloud metadata or unspecified address/)
    },
  )

  test('discovery follows no redirect', async () => {
    const location = `${world.oidc.url}/other`
    world.oidc.route('/.well-known/openid-configuration', { status: 302, headers: { location } })
    const answer = await world.newBrowser().get('/api/oauth/start?provider=oidc')
    expect(answer.success).toBe(false)
    expect(world.oidc.requestsTo('/other')).toEqual([])
  })

  test('none is called in a private network while private networks are forbidden', async () => {
    await world.plane.setOption('ChannelPrivateNetworksEnabled', 'false')
    const asked = () => world.oidc.requests.length + world.wechat.requests.length
    const before = asked()
    const oidc = await world.newBrowser().get('/api/oauth/start?provider=oidc')
    const wechat = await world.newBrowser().get('/api/oauth/wechat?code=1')
    const github = await world.signIn('github', { id: '7' })
    for (const { success, message } of [oidc, wechat, github]) {
      expect(success).toBe(false)
      expect(message).toMatch(/in a private network, which the option ChannelPrivate/)
    }
    expect(asked()).toBe(before)
  })
})
