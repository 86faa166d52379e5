/** Names of the pages in other gateways, in both languages, for users who switch. */
export const NAMES_IN_OTHER_GATEWAYS: Readonly<Record<string, string>> = {
  '/': 'start overview 概览 控制台',
  '/dashboard': 'statistics analytics data board 数据统计 统计 总览',
  '/usage':
    'statistics analytics activity consumption spend cost tracking report 消费统计 用量统计 数据分析 费用 成本',
  '/channel':
    'channel management providers upstream deployments endpoints load balancing fallbacks model mapping import export migrate 导入 导出 迁移 渠道管理 供应商 上游 负载均衡 重试 模型重定向 模型映射',
  '/channel/add': 'add provider add model 新建渠道 添加渠道 接入模型',
  '/catalog':
    'pricing price list model hub model market 模型广场 模型价格 模型列表 可用模型 模型市场',
  '/play': 'playground chat test model 操练场 聊天 对话 体验',
  '/token': 'api keys token management virtual keys 令牌管理 密钥 接口密钥',
  '/token/add': 'create generate api key 新建令牌 创建令牌 密钥',
  '/redemption':
    'redeem coupons vouchers gift cards promo codes cdk redemption management 兑换码管理 卡密 礼品卡 优惠券 充值码 激活码',
  '/redemption/add': 'redeem coupons vouchers generate codes 生成兑换码 新建兑换码',
  '/user': 'user management internal customers members teams accounts 用户管理 客户 成员 账号 账户',
  '/user/token': 'find token by key leaked key 按密钥查找令牌 密钥泄露',
  '/log':
    'usage logs requests spend logs audit errors history 错误日志 审计 使用日志 调用日志 消费日志 请求日志 用量日志',
  '/topup': 'wallet recharge add credits balance redeem code 余额 钱包 钱包管理 在线充值 兑换',
  '/billing': 'wallet invoice statement receipts payment history 对账单 充值记录 钱包 消费明细',
  '/bill': 'provider invoices 上游账单 对账',
  '/partnerplan': 'referral affiliate invite 邀请 推广 返佣 分销',
  '/setting': 'profile personal settings 个人设置 个人中心 安全设置 两步验证 2fa passkey',
  '/user/edit': 'profile change password 个人资料 修改密码',
  '/setting/operation': 'general options ratio rate limit 倍率设置 速率限制 限速 限流 速率限制设置',
  '/setting/prices':
    'model pricing model ratio prices 模型定价 模型价格 定价设置 分组与模型定价设置',
  '/setting/system':
    'system options smtp oauth oidc sso github turnstile login 单点登录 登录设置 注册设置 邮件设置',
  '/setting/other': 'notice about logo theme 公告设置 首页设置 关于 主题',
  '/alert': 'alerting notifications webhook monitoring 通知 告警 监控',
  '/system-status': 'uptime health 可用性 服务状态 监控',
}
