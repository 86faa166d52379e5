/**
 * What other gateways call the pages, so that people who come from them find these by the name
 * they know. In both languages.
 */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  '/': 'start overview 概览 控制台',
  '/dashboard': 'statistics analytics data board 数据统计 统计 总览',
  '/usage': 'statistics analytics activity consumption 消费统计 用量统计 数据分析',
  '/channel':
    'channel management providers upstream model mapping 渠道管理 供应商 上游 模型重定向 模型映射',
  '/channel/add': 'add provider 新建渠道 添加渠道 接入模型',
  '/catalog': 'pricing model market 模型广场 模型价格 模型列表 可用模型 模型市场',
  '/play': 'playground chat 操练场 聊天 对话 体验',
  '/token': 'api keys token management virtual keys 令牌管理 密钥 接口密钥',
  '/token/add': 'create api key 新建令牌 创建令牌 密钥',
  '/redemption': 'vouchers gift cards redemption management 兑换码管理 卡密 礼品卡',
  '/redemption/add': 'vouchers 生成兑换码 新建兑换码',
  '/user': 'user management customers members 用户管理 客户 成员',
  '/log': 'usage logs requests spend logs 使用日志 调用日志 消费日志 请求日志 用量日志',
  '/topup': 'wallet recharge credits redeem 钱包 钱包管理 在线充值 兑换',
  '/billing': 'wallet invoice statement 对账单 充值记录 钱包 消费明细',
  '/bill': 'provider invoices 上游账单 对账',
  '/partnerplan': 'referral affiliate invite 邀请 推广 返佣 分销',
  '/setting': 'profile personal settings 个人设置 个人中心 安全设置 两步验证 2fa passkey',
  '/user/edit': 'profile change password 个人资料 修改密码',
  '/setting/operation': 'general options ratio rate limit 倍率设置 速率限制 限速 限流 速率限制设置',
  '/setting/prices':
    'model pricing model ratio prices 模型定价 模型价格 定价设置 分组与模型定价设置',
  '/setting/system': 'system options smtp oauth login 登录设置 注册设置 邮件设置',
  '/setting/other': 'notice about logo theme 公告设置 首页设置 关于 主题',
  '/alert': 'notifications webhook monitoring 通知 告警 监控',
  '/system-status': 'uptime health 可用性 服务状态 监控',
}
