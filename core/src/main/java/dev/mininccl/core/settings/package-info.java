/**
 * The settings: environment variables that begin with {@code MINI_NCCL_}, each declared once in {@link Setting}. Programs override
 * them by {@link dev.mininccl.core.CommunicatorOptions.Builder#set}; transports get them as {@link Settings}.
 */
package dev.mininccl.core.settings;
